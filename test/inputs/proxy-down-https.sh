#!/bin/sh
INNKEEP_BASE_URL=https://inn.example https_proxy=http://nobody:secret@127.0.0.1:1 innkeep faq list
INNKEEP_BASE_URL=https://inn.example https_proxy=http://nobody:secret@127.0.0.1:1 innkeep doctor
