"""Short news stories, written for the pictures, with the labels that reuters21578 would give them."""

from __future__ import annotations

__all__ = ["STORIES"]

STORIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Storm closes ports along the gulf\n\nTwo ports on the gulf stayed closed on Friday after a storm damaged the "
        "loading berths. Nine vessels with wheat and corn are waiting outside, port officials said, and exporters "
        "expect the first cargoes to leave on Tuesday. Crude oil shipments were not affected.",
        ("ship", "grain", "wheat", "corn"),
    ),
    (
        "Central bank leaves its discount rate alone\n\nThe central bank left its discount rate at 4-1/2 pct, although "
        "banks had hoped for a cut. The governor said that money supply had grown faster than planned, and that the "
        "bank would buy dollars if the currency rose further.",
        ("interest", "money-supply", "money-fx"),
    ),
    (
        "Mill raises its bid for a paper maker\n\nThe mill raised its offer to 31 dlrs a share for all outstanding "
        "stock of the smaller paper maker, and said that it holds 11 pct of the shares. The board of the paper maker "
        "will meet on Monday to consider the tender offer.",
        ("acq",),
    ),
    (
        "Oil ministers meet about quotas\n\nThe ministers of six producing countries meet in Geneva to talk about "
        "output quotas. Crude prices have fallen below 17 dlrs a barrel since one member began to pump more than its "
        "share, and two members want the ceiling to be lowered by 500,000 barrels a day.",
        ("crude",),
    ),
    (
        "Coffee growers hold back their beans\n\nGrowers are holding back coffee in the hope that export quotas return "
        "before the harvest. Traders said that arrivals at the ports were a third below those of last year, while "
        "cocoa moved as usual.",
        ("coffee",),
    ),
    (
        "Chip maker posts a loss for the quarter\n\nThe company had a net loss of 12 cts a share against a profit of "
        "21 cts. Revenues fell to 84.2 mln dlrs from 97.0 mln. It said that it would sell its unit for disk drives and "
        "close one plant.",
        ("earn",),
    ),
    (
        "Trade gap narrows as exports recover\n\nThe trade deficit narrowed to 9.8 billion dlrs as exports of machines "
        "and grain recovered. Imports of oil rose. A member of the trade committee said that tariffs on car parts "
        "would be discussed with Japan next month.",
        ("trade",),
    ),
    (
        "Miner finds more gold than planned\n\nThe company said that its new shaft would yield 90,000 ounces of gold a "
        "year, a fifth more than planned, and 400,000 ounces of silver. Work on a second shaft begins in spring.",
        ("gold", "silver"),
    ),
    (
        "Beet farmers ask for a higher sugar price\n\nFarmers of the community asked ministers for a higher price of "
        "white sugar, since rebates for exports were cut at the last tender. The commission said that stocks were "
        "ample.",
        ("sugar",),
    ),
    (
        "Dealers expect the bank to sell yen\n\nDealers expect the central bank to sell yen for dollars in Tokyo if "
        "the dollar falls below 140. Short-term rates were little changed.",
        ("money-fx", "dlr", "yen"),
    ),
)
"""Texts and their labels."""
