"""The site: ``python -m website`` builds the pages of ``docs/`` into ``build/site`` and checks all links of the result.

``extension`` is what Sphinx needs beyond its usual extensions. ``api_reference`` and ``command_reference`` write the
two references, ``repository_links`` lets pages have links that work on a forge and on the site, ``docstrings`` makes
docstrings valid, ``check`` reads the built pages, and ``same_text`` draws the picture of the first page.
"""
