"""Pictures of the pages that setwise makes, taken in a real browser: ``python -m screenshots``.

``browser`` opens the browser and ``server`` starts the service, which the tests of the pages use too. Each page has a
module with its pictures, and one line in the registry of ``__main__``.
"""
