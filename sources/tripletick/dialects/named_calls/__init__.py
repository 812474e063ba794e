"""Calls that name a tool and its arguments: what the dialects xml and native share."""
