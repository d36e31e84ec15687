"""Fewer edges for the same flow: sparse masks, schedules of them, and scans."""
