import type { KeyBody } from './answers/keys.ts'

/** An API key as the admin API and the command line show it. */
export function keyBody(key: {
  id: number
  accountId: number
  name: string
  plan: string
  createdAtS: number
  expiresAtS: number | null
  revokedAtS: number | null
}): KeyBody {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    plan: key.plan,
    created_at: key.createdAtS,
    expires_at: key.expiresAtS,
    revoked_at: key.revokedAtS,
  }
}
