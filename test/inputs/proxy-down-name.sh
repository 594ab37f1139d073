#!/bin/sh
INNKEEP_BASE_URL=http://inn.example:8080 HTTP_PROXY=mandatory.invalid:3128 NO_PROXY=other.example innkeep changelog list
INNKEEP_BASE_URL=http://inn.example:8080 HTTP_PROXY=mandatory.invalid:3128 NO_PROXY=other.example innkeep doctor
