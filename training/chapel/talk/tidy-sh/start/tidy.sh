#!/bin/bash
out=outbox
keep=vault

cd drafts || exit 1
rm -f -- *.tmp
mv -- *.pdf "../$out/"
mv -- *.txt "../$keep/"
