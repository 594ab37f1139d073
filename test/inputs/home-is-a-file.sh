#!/bin/sh
HOME=/dev/null timeout 20 innkeep feedback send --type question --message "¿Dónde está?"; echo $?
