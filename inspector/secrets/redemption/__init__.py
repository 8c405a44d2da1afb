"""The redemption request. `fetch` imports httpx: import it only for a redemption."""
