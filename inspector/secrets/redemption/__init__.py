"""The redemption request. `fetch` imports httpx; import it only where a redemption runs."""
