rm -r drafts
