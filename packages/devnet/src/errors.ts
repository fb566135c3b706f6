type DevnetErrorCode =
  | 'DEVNET_PORT_IN_USE'
  | 'DEVNET_LISTEN_FAILED'
  | 'DEVNET_TRANSACTION_FAILED'
  | 'DEVNET_ARGUMENTS'

/** All deliberate errors of the local chain. */
export class DevnetError extends Error {
  readonly code: DevnetErrorCode

  constructor(code: DevnetErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** Why a server of the local chain did not get its port. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): DevnetError {
  return error.code === 'EADDRINUSE'
    ? new DevnetError(
        'DEVNET_PORT_IN_USE',
        `Port ${port} on ${host} is in use: stop what listens there or choose another port for the local chain.`,
        { cause: error },
      )
    : new DevnetError(
        'DEVNET_LISTEN_FAILED',
        `Cannot listen on ${host}:${port}: ${error.message}`,
        {
          cause: error,
        },
      )
}
