"""A task whose exception nobody awaited."""

import asyncio


async def refresh() -> None:
    raise PermissionError(13, "Permission denied: 'tokens.json'")


async def main() -> None:
    task = asyncio.ensure_future(refresh())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task


asyncio.run(main())
