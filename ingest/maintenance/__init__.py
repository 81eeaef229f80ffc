"""Commands that work from ledger and archive alone: nothing is fetched, and nothing that was paid for is paid again."""
