#!/bin/sh
# Waits until a person has approved a proposal, claims it, and has a program carry it out. The program gets the approved
# plan and the person's note as JSON on standard input:
#   sh work-when-approved.sh RUN PROGRAM [WORD...]
set -u
run=$1
shift

code=8
while [ "$code" -eq 8 ]; do # Nobody has decided yet.
  code=0
  innkeep agent decision "$run" --wait 8h || code=$?
done
[ "$code" -eq 0 ] || exit "$code" # 9: rejected

# Only one worker gets the claim.
claim=$(innkeep agent claim "$run") || exit
status=failed
innkeep agent run "$run" --json | "$@" && status=succeeded
innkeep agent outcome "$run" --claim "$claim" --status "$status" --summary "$1: $status"
