"""What the page offers beyond the document: situations, and the runs behind marks.

All of it is data, computed here and written into the page; scripts only show it.
"""
