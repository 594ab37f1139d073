/** Whether a host name or address, an IPv6 address with or without brackets, means this machine and no other. */
export const isLoopback = (host: string): boolean => /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/.test(host);
