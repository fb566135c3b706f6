/** An API key as the admin API and the command line show it: nothing secret. Times are unix seconds. */
export type KeyBody = {
  id: number
  account_id: number
  name: string
  plan: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
}

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
