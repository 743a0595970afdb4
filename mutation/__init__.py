"""Mutation testing: small errors are put into the code, one at a time, to find those that no test notices."""
