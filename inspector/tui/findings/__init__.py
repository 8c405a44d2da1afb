"""The findings of the review: the tab of one item, and the review screen."""
