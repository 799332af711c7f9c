"""What the paper's theorems say of derivatives and stability, and where its formulas slip."""
