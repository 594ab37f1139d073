#!/bin/sh
innkeep changelog create --app Larder --title Karten --version 3.0.0 --platform-version android=2031 --platform-version "android=3.0.0 (2032)" --platform-version android=3.0.0+2033 --item "changed=Größer" --publish
innkeep changelog export --app Larder --platform android --version v3.0.0 --out fastlane/metadata/android/de-DE && ls fastlane/metadata/android/de-DE/changelogs
