"""Models with a known fault: small architectures, leaks injected by construction, and audits."""
