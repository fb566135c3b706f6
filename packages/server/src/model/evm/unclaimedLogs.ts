/** Logs of a contract that the config names, with a first topic that no venue reads. */
export type UnclaimedLogs = { address: string; topic: string; logs: number }
