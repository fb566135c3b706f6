import { type Instruction, opcode, pushSize } from './instructions.ts'

// Between the constant and its comparison compilers put at most a DUP or a load of the selector.
const comparisonStepsMax = 3
// Between the comparison and the jump: a NOT, a constant target, sometimes a SWAP.
const jumpStepsMax = 4
// A selector with leading zero bytes is pushed without them.
const selectorBytesMin = 3
const selectorBytesMax = 4

const comparisons: ReadonlySet<number> = new Set([opcode.eq, opcode.xor, opcode.sub])

/**
 * Returns the selectors that the code compares its call data with before it jumps: its functions. A
 * four-byte constant that is not compared is a call to another contract, an error or a number.
 */
export function findFunctionSelectors(instructions: readonly Instruction[]): Set<string> {
  const selectors = new Set<string>()
  for (const [at, { op, value }] of instructions.entries()) {
    const size = pushSize(op)
    if (value === null || size < selectorBytesMin || size > selectorBytesMax) continue
    const comparedAt = findStep(instructions, at + 1, comparisonStepsMax, (next) =>
      comparisons.has(next),
    )
    if (comparedAt === -1) continue
    const isJump = (next: number) => next === opcode.jumpI
    if (findStep(instructions, comparedAt + 1, jumpStepsMax, isJump) === -1) continue
    selectors.add(`0x${value.toString(16).padStart(8, '0')}`)
  }
  return selectors
}

/** Returns every constant that may be a selector, compared or not. */
export function findPushedConstants(instructions: readonly Instruction[]): Set<string> {
  const constants = new Set<string>()
  for (const { op, value } of instructions) {
    const size = pushSize(op)
    if (value !== null && size >= selectorBytesMin && size <= selectorBytesMax)
      constants.add(`0x${value.toString(16).padStart(8, '0')}`)
  }
  return constants
}

function findStep(
  instructions: readonly Instruction[],
  from: number,
  stepsMax: number,
  isWanted: (op: number) => boolean,
): number {
  for (let at = from; at < from + stepsMax && at < instructions.length; at += 1) {
    const { op } = instructions[at]!
    if (isWanted(op)) return at
    if (!isStackWork(op)) return -1
  }
  return -1
}

function isStackWork(op: number): boolean {
  const isMove = op >= opcode.dup1 && op <= opcode.swap16
  return isMove || pushSize(op) >= 0 || op === opcode.isZero || op === opcode.mLoad
}
