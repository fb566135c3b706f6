import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { bytesOfHex, type Instruction, opcode, pushSize, readInstructions } from './instructions.ts'
import { type FunctionTrace, startTrace, type TraceOptions, toProgram } from './traceFunction.ts'

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

/** The functions of a contract and what each may do, read from its code. */
export type ContractCode = {
  /** Indexed by selector. The trace of a function that could not be walked is incomplete. */
  functions: ReadonlyMap<string, FunctionTrace>
  /** Runs for calls that match no function. */
  fallback: FunctionTrace
  /** True if the whole dispatch was followed, so a function that is not listed does not exist. */
  isUnderstood: boolean
  /** Opcodes anywhere in the code, reached or not. */
  opcodes: ReadonlySet<number>
}

export type ReadContractOptions = TraceOptions & {
  /** Constants tried as selectors. */
  constantsMax: number
  /** Instructions walked in all functions together. */
  totalStepsMax: number
  /** Time limit: steps of code built to be slow cost more than usual ones. @default none */
  msMax?: number | undefined
  /** @default the system clock */
  clock?: { nowMs(): number } | undefined
  signal?: AbortSignal | undefined
}

// Takes 0.25 ms, or 100 ms in code built to be slow. Other work gets the thread in between.
const stepsPerTurn = 250

const transferSelector = '0xa9059cbb'
const balanceOfSelector = '0x70a08231'
const unknownTrace: FunctionTrace = {
  reads: new Set(),
  writes: new Set(),
  callerChecks: new Set(),
  callerLists: new Set(),
  opcodes: new Set(),
  isComplete: false,
  isEntered: false,
  steps: 0,
}

/**
 * Walks every function of a token's code within the limits of steps and time. Yields the thread
 * between parts.
 */
export async function readContract(
  code: string,
  options: ReadContractOptions,
): Promise<ContractCode> {
  const { constantsMax, signal, msMax = Number.POSITIVE_INFINITY } = options
  const { nowMs } = options.clock ?? { nowMs: () => performance.now() }
  const instructions = readInstructions(bytesOfHex(code))
  const program = toProgram(instructions)
  const constants = findPushedConstants(instructions)
  let stepsLeft = options.totalStepsMax
  let msLeft = msMax

  async function trace(selector: string): Promise<FunctionTrace> {
    if (stepsLeft <= 0) return unknownTrace
    const walk = startTrace(program, selector, options)
    for (;;) {
      const startMs = nowMs()
      const isDone = walk.advance(stepsPerTurn)
      msLeft -= nowMs() - startMs
      if (isDone || msLeft <= 0) {
        const result = walk.result()
        stepsLeft = msLeft <= 0 ? 0 : stepsLeft - result.steps
        return isDone ? result : { ...result, isComplete: false }
      }
      await nextTurn()
      signal?.throwIfAborted()
    }
  }

  const fallback = await trace(absentSelectorOf(constants))
  const functions = new Map<string, FunctionTrace>()
  for (const selector of [...constants].slice(0, constantsMax)) {
    const found = await trace(selector)
    if (found.isEntered) functions.set(selector, found)
    await nextTurn()
    signal?.throwIfAborted()
  }
  const isWhole = constants.size <= constantsMax && stepsLeft > 0
  const isUnderstood =
    isWhole && functions.has(transferSelector) && functions.has(balanceOfSelector)
  // After an incomplete walk a compared constant may be a function; after a complete one it belongs
  // to code that never runs here.
  if (!isUnderstood && !(isWhole && fallback.isComplete))
    for (const selector of findFunctionSelectors(instructions))
      if (!functions.has(selector)) functions.set(selector, unknownTrace)
  const opcodes = new Set(instructions.map(({ op }) => op))
  return { functions, fallback, isUnderstood, opcodes }
}

/** Returns a selector that the code does not mention, to enter the fallback with. */
function absentSelectorOf(constants: ReadonlySet<string>): string {
  let selector = 0xfefefefe
  while (constants.has(`0x${selector.toString(16)}`)) selector -= 1
  return `0x${selector.toString(16)}`
}

const callOpcodes = [opcode.call, opcode.callCode, opcode.delegateCall, opcode.staticCall] as const

export function callsOut(trace: FunctionTrace): boolean {
  return callOpcodes.some((op) => trace.opcodes.has(op))
}
