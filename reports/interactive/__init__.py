"""What the page offers beyond the article: situations, runs behind marks, claims that open.

All of it is data, computed here and written into the page; scripts only show it.
"""
