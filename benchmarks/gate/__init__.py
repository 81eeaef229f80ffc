"""The gate: floors that only rise, on a corpus that lies beside it."""
