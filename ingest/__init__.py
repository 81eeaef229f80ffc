"""The foreman: takes one page through all stages, keeps what was paid for, and publishes it."""
