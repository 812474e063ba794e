jq -r 'max_by(.pages) | .title' books.json
