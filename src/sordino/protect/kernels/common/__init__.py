"""What is sensitive is so for all: the suppressors mine, dist and global."""
