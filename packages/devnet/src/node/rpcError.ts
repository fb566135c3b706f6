export type RpcFault = { code: number; message: string; data?: unknown }

/** An error answer of a node. */
export class RpcError extends Error {
  readonly fault: RpcFault

  /** Takes EDR's error. Reports a reverted call in geth's form. */
  constructor({ code, message, data }: RpcFault) {
    const output = (data as { data?: unknown } | undefined)?.data
    const isRevert = message.startsWith('reverted') && typeof output === 'string'
    super(isRevert ? `execution ${message}` : message)
    this.fault = isRevert ? { code: 3, message: this.message, data: output } : { code, message }
  }
}

export function faultOf(error: unknown): RpcFault {
  return error instanceof RpcError
    ? error.fault
    : { code: -32603, message: error instanceof Error ? error.message : String(error) }
}
