#!/bin/sh
set -e
mkdir "$1"; cd "$1"; git init -q; git config user.email a@example.org; git config user.name A
c(){ echo "$1" >> f; git add f; git commit -q -m "$1"; }
c "feat: primera"; git tag v1.0.0
c ":sparkles: feat: mapas sin conexión"
c "🐛🚑️ fix: lista vacía"
c "chore(main): release 1.1.0 (#12)"
git tag v1.1.0
innkeep changelog import --format git --from v1.0.0 --to v1.1.0 --app Larder --dry-run --json
