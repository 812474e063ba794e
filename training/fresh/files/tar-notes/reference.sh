tar czf notes.tar.gz *.md
