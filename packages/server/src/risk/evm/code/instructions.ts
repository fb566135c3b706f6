/** One step of EVM code. `value` is the constant a PUSH carries, null for every other instruction. */
export type Instruction = { pc: number; op: number; value: bigint | null }

export const opcode = {
  stop: 0x00,
  sub: 0x03,
  lt: 0x10,
  gt: 0x11,
  eq: 0x14,
  isZero: 0x15,
  xor: 0x18,
  keccak256: 0x20,
  origin: 0x32,
  callDataLoad: 0x35,
  extCodeSize: 0x3b,
  extCodeHash: 0x3f,
  timestamp: 0x42,
  number: 0x43,
  pop: 0x50,
  mLoad: 0x51,
  mStore: 0x52,
  mStore8: 0x53,
  sLoad: 0x54,
  sStore: 0x55,
  jump: 0x56,
  jumpI: 0x57,
  jumpDest: 0x5b,
  push0: 0x5f,
  push1: 0x60,
  push32: 0x7f,
  dup1: 0x80,
  dup16: 0x8f,
  swap1: 0x90,
  swap16: 0x9f,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  return: 0xf3,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfDestruct: 0xff,
} as const

/** Every instruction in order. What a PUSH carries is data, whatever instruction its bytes look like. */
export function readInstructions(code: Uint8Array): Instruction[] {
  const instructions: Instruction[] = []
  for (let pc = 0; pc < code.length; pc += 1) {
    const op = code[pc]!
    const size = pushSize(op)
    if (size < 0) {
      instructions.push({ pc, op, value: null })
      continue
    }
    let value = 0n
    // Code that ends inside a PUSH is padded with zeros.
    for (let i = 1; i <= size; i += 1) value = (value << 8n) | BigInt(code[pc + i] ?? 0)
    instructions.push({ pc, op, value })
    pc += size
  }
  return instructions
}

/** Bytes a PUSH carries; -1 for every other instruction. */
export function pushSize(op: number): number {
  return op >= opcode.push0 && op <= opcode.push32 ? op - opcode.push0 : -1
}

export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
}
