import { AppError } from '../lib/errors.ts'

/** A contract cannot be checked now: no node answered in time, or too many checks wait. */
export class RiskUnavailableError extends AppError {
  constructor({ token, reason, cause }: { token: string; reason: string; cause?: unknown }) {
    super('RISK_UNAVAILABLE', 'The contract cannot be checked now.', {
      cause,
      meta: [`Token: ${token}`, `Reason: ${reason}`],
      retryable: true,
    })
  }
}
