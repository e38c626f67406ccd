"""The method as published by Jia et al."""
