"""What the page offers beyond the document: situations, runs behind marks, claims that open.

All of it is data, computed here and written into the page; scripts only show it.
"""
