"""The machine and the installation: platform, folders, optional packages, cancellation, known secrets."""
