// Maximum size of a deployed contract.
const codeBytesMax = 24_576
// As deep as the analysis follows the stack: it inspects the stack at each possible jump target.
const deepStack = `7f${'ff'.repeat(32)}${'80'.repeat(190)}`
const selectorCount = 100

/**
 * Code that is slow to analyze: every byte is a possible jump target with a deep stack, for each of
 * many selectors.
 */
export function slowContract(seed: number): string {
  const selectors = Array.from(
    { length: selectorCount },
    (_, at) => `63${(0xa000_0000 + seed * selectorCount + at).toString(16)}`,
  ).join('')
  const rest = codeBytesMax - (deepStack.length + selectors.length) / 2 - 1
  return `0x${deepStack}${'5b'.repeat(rest)}00${selectors}`
}
