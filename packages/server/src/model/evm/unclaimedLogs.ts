/** Logs of a configured contract whose topic0 no venue decodes. */
export type UnclaimedLogs = { address: string; topic: string; logs: number }
