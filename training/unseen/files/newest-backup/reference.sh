cp backup-2025-02-14.txt latest.txt
