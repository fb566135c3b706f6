/** Trading is opened, mostly once. */
export const switchOnSignatures: readonly string[] = [
  'activateTrading()',
  'enableTrading()',
  'enableTrading(uint256)',
  'isTradingEnabled()',
  'launch()',
  'openTrading()',
  'openTrading(uint256)',
  'paused()',
  'startTrading()',
  'tradingActive()',
  'tradingEnabled()',
  'tradingOpen()',
]
