#!/bin/sh
innkeep changelog create --app Larder --title T --version "4.1 (77)" --item "added=地図" --publish
innkeep changelog export --app Larder --platform android --out metadata/android/ja-JP && ls metadata/android/ja-JP/changelogs
