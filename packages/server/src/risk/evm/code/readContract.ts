import { setImmediate as nextTurn } from 'node:timers/promises'
import { findConstants, findDispatched } from './dispatched.ts'
import { bytesOfHex, opcode, readInstructions } from './instructions.ts'
import { type FunctionTrace, startTrace, type TraceOptions, toProgram } from './traceFunction.ts'

/** What a contract's code says of its functions. */
export type ContractCode = {
  /** By selector. A selector whose function could not be walked has an incomplete trace. */
  functions: ReadonlyMap<string, FunctionTrace>
  /** What is run for calls that no function takes. */
  fallback: FunctionTrace
  /** The way from call data to functions was understood, so a function that is not listed does not exist. */
  isUnderstood: boolean
  /** Opcodes anywhere in the code, reached or not. */
  opcodes: ReadonlySet<number>
}

export type ReadContractOptions = TraceOptions & {
  /** Constants tried as selectors. */
  constantsMax: number
  /** Instructions walked in all functions together. */
  totalStepsMax: number
}

// Some two milliseconds; others get the thread in between.
const stepsPerTurn = 2_000

const transferSelector = '0xa9059cbb'
const balanceOfSelector = '0x70a08231'
const unknownTrace: FunctionTrace = {
  reads: new Set(),
  writes: new Set(),
  opcodes: new Set(),
  isComplete: false,
  isEntered: false,
  steps: 0,
}

/** Walks every function of a token's code. Gives the thread back between parts. */
export async function readContract(
  code: string,
  { constantsMax, totalStepsMax, ...options }: ReadContractOptions,
): Promise<ContractCode> {
  const instructions = readInstructions(bytesOfHex(code))
  const program = toProgram(instructions)
  const constants = findConstants(instructions)
  let stepsLeft = totalStepsMax

  async function trace(selector: string): Promise<FunctionTrace> {
    if (stepsLeft <= 0) return unknownTrace
    const walk = startTrace(program, selector, options)
    while (!walk.advance(stepsPerTurn)) await nextTurn()
    const result = walk.result()
    stepsLeft -= result.steps
    return result
  }

  const fallback = await trace(strangerOf(constants))
  const functions = new Map<string, FunctionTrace>()
  for (const selector of [...constants].slice(0, constantsMax)) {
    const found = await trace(selector)
    if (found.isEntered) functions.set(selector, found)
    await nextTurn()
  }
  const isWhole = constants.size <= constantsMax && stepsLeft > 0
  const isUnderstood =
    isWhole && functions.has(transferSelector) && functions.has(balanceOfSelector)
  if (!isUnderstood)
    for (const selector of findDispatched(instructions))
      if (!functions.has(selector)) functions.set(selector, unknownTrace)
  const opcodes = new Set(instructions.map(({ op }) => op))
  return { functions, fallback, isUnderstood, opcodes }
}

/** A selector that the code does not mention. */
function strangerOf(constants: ReadonlySet<string>): string {
  let selector = 0xfefefefe
  while (constants.has(`0x${selector.toString(16)}`)) selector -= 1
  return `0x${selector.toString(16)}`
}

const callOpcodes = [opcode.call, opcode.callCode, opcode.delegateCall, opcode.staticCall] as const

export function callsOut(trace: FunctionTrace): boolean {
  return callOpcodes.some((op) => trace.opcodes.has(op))
}
