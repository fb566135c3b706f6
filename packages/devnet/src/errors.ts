type DevnetErrorCode =
  | 'DEVNET_PORT_IN_USE'
  | 'DEVNET_LISTEN_FAILED'
  | 'DEVNET_JOURNAL_BROKEN'
  | 'DEVNET_JOURNAL_TOO_NEW'
  | 'DEVNET_METHOD_REFUSED'
  | 'DEVNET_TRANSACTION_FAILED'
  | 'DEVNET_ARGUMENTS'
  | 'DEVNET_STATE_INCOMPLETE'

/** Every error the local chain raises on purpose. */
export class DevnetError extends Error {
  readonly code: DevnetErrorCode

  constructor(code: DevnetErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}
