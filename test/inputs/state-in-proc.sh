#!/bin/sh
XDG_STATE_HOME=/proc/1/none timeout 20 innkeep feedback send --type bug --message m; echo $?
