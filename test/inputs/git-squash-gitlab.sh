#!/bin/sh
set -e
mkdir "$1"; cd "$1"; git init -q; git config user.email a@example.org; git config user.name A
c(){ echo "$1" >> f; git add f; git commit -q -m "$1"; }
c "feat: erste"; git tag v1.0.0
c "$(printf 'Karten und mehr\n\n- feat: Karten offline\n- fix: Absturz beim Start\n- chore: Lockfile\n\nBREAKING CHANGE: alte API entfernt\n\nSee merge request gruppe/app!12')"
git tag v1.1.0
innkeep changelog import --format git --from v1.0.0 --to v1.1.0 --without chore --app Larder --dry-run --json
