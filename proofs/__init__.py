"""Why believe it: certificates, and the checker that trusts nothing of ours."""
