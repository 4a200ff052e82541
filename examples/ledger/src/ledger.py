"""A small ledger of accounts in whole cents."""


class LedgerError(Exception):
    """A booking that is not possible; nothing has changed."""


class Ledger:
    def __init__(self):
        self.balances = {}
        self.frozen = set()

    def open(self, account):
        if account in self.balances:
            raise LedgerError(f"{account} is open already")
        self.balances[account] = 0

    def freeze(self, account):
        self._check_open(account)
        self.frozen.add(account)

    def deposit(self, account, cents):
        self._check_open(account)
        self._check_amount(cents)
        self.balances[account] += cents

    def withdraw(self, account, cents):
        self._check_open(account)
        self._check_amount(cents)
        if account in self.frozen:
            raise LedgerError(f"{account} is frozen")
        if self._covers(account, cents):
            raise LedgerError(f"{account} has less than {cents}")
        self.balances[account] -= cents

    def transfer(self, source, target, cents):
        self._check_open(target)
        self.withdraw(source, cents)
        self.deposit(target, cents)

    def total(self):
        return sum(self.balances.values())

    def _covers(self, account, cents):
        return self.balances[account] >= cents

    def _check_open(self, account):
        if account not in self.balances:
            raise LedgerError(f"there is no account {account}")

    def _check_amount(self, cents):
        if cents <= 0:
            raise LedgerError("an amount is more than nothing")
