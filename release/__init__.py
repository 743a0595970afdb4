"""What a release needs: wheels that are built and tested, and the check of a tag."""
