"""Why a call needs a person's word, in the two languages of the wire. The texts are fixed: no part of a call stands in
them, so nothing that a model wrote can pose as a reason."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Reason:
    """`en` is also what the log keeps."""

    en: str
    zh: str

    def __str__(self) -> str:
        return self.en


WRITES: Final = Reason("changes files, and the session is read-only", "会修改文件，而当前会话为只读")
DELETES: Final = Reason("deletes files", "会删除文件")
OUTSIDE: Final = Reason("writes outside the workspace", "会写入工作区之外的位置")
UNREADABLE: Final = Reason(
    "is a command that could not be read, so what it reaches is unknown", "命令无法解析，影响范围未知"
)
UNRESOLVED: Final = Reason(
    "runs or writes something that the words of the command leave open", "会运行或写入命令文字中未确定的内容"
)
OTHER_USER: Final = Reason("runs with another user's rights", "会以其他用户的权限运行")
REMOVES_BEYOND: Final = Reason(
    "removes files outside the workspace or all of the workspace", "会删除工作区之外的文件或整个工作区"
)
RIGHTS_BEYOND: Final = Reason("changes rights or owners outside the workspace", "会修改工作区之外的权限或所有者")
DEVICE: Final = Reason("writes to a disk or a device, or wipes data", "会写入磁盘或设备，或擦除数据")
HISTORY: Final = Reason("overwrites or deletes published history", "会覆盖或删除已发布的历史")
UNCOMMITTED: Final = Reason("throws away uncommitted work", "会丢弃未提交的修改")
LOSES_COMMITS: Final = Reason(
    "deletes or overwrites commits, branches or tags that may be nowhere else",
    "会删除或覆盖可能别无副本的提交、分支或标签",
)
FETCHED_CODE: Final = Reason("runs code straight from the network", "会直接运行来自网络的代码")
POWER: Final = Reason("stops or restarts the machine", "会关闭或重启这台机器")
SYSTEM: Final = Reason("changes the machine, the account or what is started later", "会更改系统、账户或计划任务")
OTHER_PROCESSES: Final = Reason("ends processes that it did not start", "会结束并非由它启动的进程")
OTHER_MACHINE: Final = Reason("acts on another machine", "会在另一台机器上操作")
PUBLISHES: Final = Reason("publishes a package", "会发布软件包")

NOT_PROVEN: Final = Reason("does more than can be told to only read", "无法确定它只读取")
COMPOUND: Final = Reason(
    "is no plain list of commands, so it is not known to only read", "不是简单的命令列表，无法确定它只读取"
)
REDIRECTS: Final = Reason("sends input or output elsewhere than to /dev/null", "会将输入或输出重定向到 /dev/null 以外")
FILLED_IN: Final = Reason(
    "holds parts that the shell fills in, so it is not known to only read", "含有由 shell 展开的部分，无法确定它只读取"
)
READS_BEYOND: Final = Reason("reads a place outside the workspace or a secret file", "会读取工作区之外的位置或机密文件")
READS_SECRETS: Final = Reason(
    "reads a whole folder with secret files in it, which the tool `grep` leaves out",
    "会读取含有机密文件的整个文件夹，`grep` 工具则会跳过这些文件",
)
PROGRAM_UNKNOWN: Final = Reason("runs a program that is not known to only read", "会运行无法确定只读取的程序")
OPTION_UNKNOWN: Final = Reason(
    "uses an option or argument that is not known to only read", "使用了无法确定只读取的选项或参数"
)
GIT_RUNS: Final = Reason(
    "uses git where settings of the repository may make it run programs", "会使用 git，而仓库设置可能使其运行程序"
)

TERMINAL: Final = Reason("runs in a terminal, and goes on when the turn ends", "会在终端中运行，并在本轮结束后继续运行")
SERVER: Final = Reason(
    "starts a server, which does not end by itself: start it with `run_in_terminal`",
    "会启动不会自行结束的服务器：请用 `run_in_terminal` 启动",
)
HELD: Final = Reason(
    "ran in the sandbox and failed by it: now it would run once more from its beginning, outside",
    "已在沙箱中运行并因沙箱而失败：现在将在沙箱之外从头再运行一次",
)
PLANNING: Final = Reason(
    "is more than reading, and the session is in plan mode: present the plan with `exit_plan_mode` first",
    "不只是读取，而会话处于计划模式：请先用 `exit_plan_mode` 提交计划",
)


def in_read_only(doubt: Reason) -> Reason:
    """Why a command asks in a session that is read-only."""
    return Reason(f"{doubt.en}, and the session is read-only", f"{doubt.zh}，而当前会话为只读")


def in_plan_mode(doubt: Reason) -> Reason:
    """Why a command does not run while a plan is made."""
    return Reason(
        f"{doubt.en}, and in plan mode only commands run that surely read: use the reading tools, or present the plan "
        "with `exit_plan_mode` first",
        f"{doubt.zh}，而计划模式只运行确定只读取的命令：请使用读取类工具，或先用 `exit_plan_mode` 提交计划",
    )
