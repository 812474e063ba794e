"""Web access from tripletick's own process: pages fetched, searched and converted to text."""
