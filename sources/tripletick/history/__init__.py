"""Sessions that were: how a conversation gets into its log and out of it again, the index by which they are
listed and searched, and their export.

Not covered: how a log is written (session), how long it is kept (retention).
"""
