"""What each host makes of a bounded result before its model sees it."""
